(function_declaration name: (identifier) @name) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @within
    (generic_type type: (type_identifier) @within)
    (pointer_type (type_identifier) @within)
    (pointer_type (generic_type type: (type_identifier) @within))]))
  name: (field_identifier) @name) @method
(method_elem name: (field_identifier) @name) @method

(type_spec name: (type_identifier) @name type: [(struct_type) (interface_type)]) @class
(type_spec name: (type_identifier) @name) @constant
(type_alias name: (type_identifier) @name) @constant
(const_spec (identifier) @name) @constant
(var_spec (identifier) @name) @constant

; Embedded structs and interfaces.
(type_spec name: (type_identifier) @of type: (struct_type (field_declaration_list
  (field_declaration !name type: [(type_identifier) (qualified_type) (generic_type)] @base))))
(type_spec name: (type_identifier) @of type: (interface_type (type_elem . [(type_identifier) (qualified_type)] @base .)))

(import_spec path: (_) @source)
