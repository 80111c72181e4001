; Functions; the patterns differ in how many pointers the result has.
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name))) @function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name)))) @function
(preproc_function_def name: (identifier) @name) @function

(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @class
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_)) (enum_specifier !name body: (_))]
  declarator: (type_identifier) @name) @class
(type_definition declarator: (type_identifier) @name @constant)
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator
  (pointer_declarator declarator: (type_identifier) @name)))) @constant
(preproc_def name: (identifier) @name value: (_)) @constant
(enumerator name: (identifier) @name) @constant
(declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)])) @constant

(preproc_include path: [(string_literal) (system_lib_string)] @source)
