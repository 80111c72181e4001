(namespace_definition name: (_) @name body: (_)) @namespace
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(trait_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(method_declaration name: (_) @name) @method
(function_definition name: (_) @name) @function
(const_element . (name) @name) @constant
(enum_case name: (_) @name) @constant
((function_call_expression function: (name) @_define
    arguments: (arguments . (argument (_ (string_content) @name)))) @constant (#eq? @_define "define"))

(class_declaration name: (_) @of (base_clause (_) @base))
(class_declaration name: (_) @of (class_interface_clause (_) @base))
(class_declaration name: (_) @of body: (declaration_list (use_declaration [(name) (qualified_name)] @base)))
(trait_declaration name: (_) @of body: (declaration_list (use_declaration [(name) (qualified_name)] @base)))
(interface_declaration name: (_) @of (base_clause (_) @base))
(enum_declaration name: (_) @of (class_interface_clause (_) @base))

(namespace_use_declaration) @tree @import
; require and include of a literal, alone or behind __DIR__.
(require_expression [(_ (string_content) @source) (binary_expression right: (_ (string_content) @source))])
(require_once_expression [(_ (string_content) @source) (binary_expression right: (_ (string_content) @source))])
(include_expression [(_ (string_content) @source) (binary_expression right: (_ (string_content) @source))])
(include_once_expression [(_ (string_content) @source) (binary_expression right: (_ (string_content) @source))])
(require_expression (parenthesized_expression (_ (string_content) @source)))
(require_once_expression (parenthesized_expression (_ (string_content) @source)))
(include_expression (parenthesized_expression (_ (string_content) @source)))
(include_once_expression (parenthesized_expression (_ (string_content) @source)))
