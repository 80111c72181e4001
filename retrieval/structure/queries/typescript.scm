(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(type_alias_declaration name: (_) @name) @constant
(internal_module name: (_) @name) @module
(module name: (identifier) @name) @module

(function_signature name: (_) @name) @function
(method_signature name: [(property_identifier) (private_property_identifier)] @name) @function
(abstract_method_signature name: (property_identifier) @name) @function
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @function
(enum_body name: (property_identifier) @name @constant)
(enum_assignment name: (property_identifier) @name) @constant

(class_declaration name: (_) @of (class_heritage (extends_clause value: (_) @base)))
(class_declaration name: (_) @of (class_heritage (implements_clause (_) @base)))
(abstract_class_declaration name: (_) @of (class_heritage (extends_clause value: (_) @base)))
(abstract_class_declaration name: (_) @of (class_heritage (implements_clause (_) @base)))
(interface_declaration name: (_) @of (extends_type_clause type: (_) @base))

(import_statement (import_require_clause source: (string (string_fragment) @source))) @import
