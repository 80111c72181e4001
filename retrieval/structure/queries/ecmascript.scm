; What JavaScript, TypeScript and TSX share.

; Functions: declared, or assigned to a variable, an export, a prototype.
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression left: [(identifier) (member_expression)] @name
  right: [(arrow_function) (function_expression) (generator_function)]
  (#match? @name "^[\\w$#.]+$") (#not-eq? @name "module.exports")) @function
(assignment_expression left: (member_expression) @_exports
  right: (function_expression name: (identifier) @name) (#eq? @_exports "module.exports")) @function

; Classes and their members; object literals that carry a name.
(class_declaration name: (_) @name) @class
(variable_declarator name: (identifier) @name value: (class)) @class
(assignment_expression left: (member_expression) @name right: (class)
  (#match? @name "^[\\w$.]+$") (#not-eq? @name "module.exports")) @class
(assignment_expression left: (member_expression) @_exports right: (class name: (_) @name)
  (#eq? @_exports "module.exports")) @class
(method_definition name: [(property_identifier) (private_property_identifier) (string)] @name) @function
(assignment_expression left: (member_expression) @name right: (object) (#match? @name "^[\\w$.]+$")) @extension
(call_expression function: (member_expression property: (property_identifier) @_assign)
  arguments: (arguments . [(identifier) (member_expression)] @name . (object))
  (#any-of? @_assign "assign" "extend" "mixin") (#match? @name "^[\\w$.]+$")) @extension
(variable_declarator value: (object (pair key: [(property_identifier) (string)] @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function))
(assignment_expression right: (object (pair key: [(property_identifier) (string)] @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function))
(export_statement value: (object (pair key: [(property_identifier) (string)] @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function))
(call_expression function: (member_expression property: (property_identifier) @_assign)
  arguments: (arguments (object (pair key: [(property_identifier) (string)] @name
    value: [(arrow_function) (function_expression) (generator_function)]) @function))
  (#any-of? @_assign "assign" "extend" "mixin"))

; A function expression's own name; where it repeats the name it is assigned to, the assignment counts.
(function_expression name: (_) @name) @function

; Constants of the module: exported, named in capitals, or holding an object.
(program (export_statement declaration: (_ (variable_declarator name: (identifier) @name) @constant)))
(program (lexical_declaration (variable_declarator name: (identifier) @name value: (object)) @constant))
(program (variable_declaration (variable_declarator name: (identifier) @name value: (object)) @constant))
(program (lexical_declaration (variable_declarator name: (identifier) @name value: (_) @_value) @constant)
  (#match? @name "^[A-Z]") (#not-match? @_value "^(await )?(require|import)\\b"))
(program (variable_declaration (variable_declarator name: (identifier) @name value: (_) @_value) @constant)
  (#match? @name "^[A-Z]") (#not-match? @_value "^(await )?(require|import)\\b"))

; Imports, re-exports, require and dynamic import.
(import_statement source: (string (string_fragment) @source)) @import
(import_statement (import_clause (identifier) @taken)) @import
(import_statement (import_clause (namespace_import "*" @taken))) @import
(import_statement (import_clause (named_imports (import_specifier name: (_) @taken)))) @import
(export_statement source: (string (string_fragment) @source)) @import
(export_statement (export_clause (export_specifier name: (_) @taken)) source: (string)) @import
(export_statement "*" @taken source: (string)) @import
(call_expression function: [(identifier) (import)] @_load
  arguments: (arguments . (string (string_fragment) @source)) (#match? @_load "^(require|import)$")) @import
(variable_declarator name: (object_pattern [
    (shorthand_property_identifier_pattern) @taken (pair_pattern key: (property_identifier) @taken)])
  value: [
    (call_expression function: [(identifier) (import)] @_load arguments: (arguments . (string))) @import
    (await_expression (call_expression function: [(identifier) (import)] @_load arguments: (arguments . (string))) @import)]
  (#match? @_load "^(require|import)$"))
