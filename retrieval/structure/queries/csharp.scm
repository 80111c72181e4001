(namespace_declaration name: (_) @name) @namespace
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(local_function_statement name: (_) @name) @function
(delegate_declaration name: (_) @name) @constant
(property_declaration name: (_) @name) @constant
(enum_member_declaration name: (_) @name) @constant
(field_declaration (variable_declaration (variable_declarator name: (_) @name) @constant)
  (#match? @name "^[A-Z]"))

(class_declaration name: (_) @of (base_list (_) @base))
(interface_declaration name: (_) @of (base_list (_) @base))
(struct_declaration name: (_) @of (base_list (_) @base))
(record_declaration name: (_) @of (base_list (_) @base))

(using_directive [(identifier) (qualified_name)] @source .)
