; What C++ adds to C; a template starts at its own line.
(template_declaration (function_definition declarator: (function_declarator declarator: (_) @name))) @function
(template_declaration (function_definition
  declarator: (reference_declarator (function_declarator declarator: (_) @name)))) @function
(template_declaration (class_specifier name: (_) @name body: (_))) @class
(template_declaration (struct_specifier name: (_) @name body: (_))) @class
(function_definition declarator: (function_declarator declarator: [(identifier) (field_identifier)
  (qualified_identifier) (destructor_name) (operator_name) (template_function)] @name)) @function
(function_definition declarator: [(pointer_declarator (function_declarator declarator: (_) @name))
  (reference_declarator (function_declarator declarator: (_) @name))]) @function
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @namespace
(alias_declaration name: (_) @name) @constant
(concept_definition name: (_) @name) @constant

(class_specifier name: (_) @of (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base))
(struct_specifier name: (_) @of (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base))
