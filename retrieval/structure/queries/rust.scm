(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name) @class
(enum_item name: (_) @name) @class
(union_item name: (_) @name) @class
(trait_item name: (_) @name) @class
(mod_item name: (identifier) @name body: (_)) @module
(type_item name: (_) @name) @constant
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @constant
(enum_variant name: (identifier) @name) @constant
(macro_definition name: (identifier) @name) @constant

; impl Trait for Type: the scope is Type, whatever reference or type arguments surround it.
(impl_item type: [(type_identifier) (scoped_type_identifier) (primitive_type)] @name) @extension
(impl_item type: (generic_type type: (_) @name)) @extension
(impl_item type: (reference_type type: [(type_identifier) (scoped_type_identifier) (primitive_type)] @name)) @extension
(impl_item type: (reference_type type: (generic_type type: (_) @name))) @extension
(impl_item trait: (_) @base type: [(type_identifier) (scoped_type_identifier) (primitive_type)] @of)
(impl_item trait: (_) @base type: (generic_type type: (_) @of))
(impl_item trait: (_) @base type: (reference_type type: [(type_identifier) (scoped_type_identifier)] @of))
(trait_item name: (_) @of bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @base))

(use_declaration argument: (_) @tree) @import
(extern_crate_declaration name: (identifier) @source)
(mod_item name: (identifier) @child !body)

; Items that a macro wraps (cfg_rt! { ... }) are parsed once more.
(source_file (macro_invocation (token_tree) @items))
(source_file (expression_statement (macro_invocation (token_tree) @items)))
(declaration_list (macro_invocation (token_tree) @items))
