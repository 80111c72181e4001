(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(annotation_type_declaration name: (identifier) @name) @class
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(compact_constructor_declaration name: (identifier) @name) @method
(annotation_type_element_declaration name: (identifier) @name) @method
(enum_constant name: (identifier) @name) @constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name) @constant)
(field_declaration declarator: (variable_declarator name: (identifier) @name) @constant
  (#match? @name "^[A-Z][A-Z0-9_]*$"))

(class_declaration name: (identifier) @of superclass: (superclass (_) @base))
(class_declaration name: (identifier) @of interfaces: (super_interfaces (type_list (_) @base)))
(enum_declaration name: (identifier) @of interfaces: (super_interfaces (type_list (_) @base)))
(record_declaration name: (identifier) @of interfaces: (super_interfaces (type_list (_) @base)))
(interface_declaration name: (identifier) @of (extends_interfaces (type_list (_) @base)))

; A static import names a member; the first pattern that matches says what the source is.
(import_declaration "static" (scoped_identifier scope: (_) @source name: (_) @taken) . ";") @import
(import_declaration [(scoped_identifier) (identifier)] @source) @import
(import_declaration (asterisk) @taken) @import
