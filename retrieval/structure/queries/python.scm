; Definitions; a decorated one starts at its first decorator.
(decorated_definition definition: (class_definition name: (identifier) @name)) @class
(decorated_definition definition: (function_definition name: (identifier) @name)) @function
(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function

; Assignments of the module: on its top level and in the branches of its if, try and with.
(module (expression_statement (assignment left: (identifier) @name) @constant))
(module (expression_statement (assignment left: (pattern_list (identifier) @name)) @constant))
(module (expression_statement (assignment left: (tuple_pattern (identifier) @name)) @constant))
(module (expression_statement (assignment right: (assignment left: (identifier) @name)) @constant))
(module (type_alias_statement left: (type (identifier) @name)) @constant)
(module (if_statement (block (expression_statement (assignment left: (identifier) @name) @constant))))
(module (if_statement (_ (block (expression_statement (assignment left: (identifier) @name) @constant)))))
(module (try_statement (block (expression_statement (assignment left: (identifier) @name) @constant))))
(module (try_statement (_ (block (expression_statement (assignment left: (identifier) @name) @constant)))))
(module (with_statement (block (expression_statement (assignment left: (identifier) @name) @constant))))

; Base classes, without keywords and type arguments.
(class_definition name: (identifier) @of superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition name: (identifier) @of superclasses: (argument_list (subscript value: (_) @base)))

; Imports.
(import_statement name: (dotted_name) @source)
(import_statement name: (aliased_import name: (dotted_name) @source))
(import_from_statement module_name: (_) @source) @import
(import_from_statement name: (dotted_name) @taken) @import
(import_from_statement name: (aliased_import name: (dotted_name) @taken)) @import
(import_from_statement (wildcard_import) @taken) @import
