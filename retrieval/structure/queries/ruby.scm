(class name: (_) @name) @class
(module name: (_) @name) @class
(assignment left: (constant) @name right: (call receiver: (constant) @_maker method: (identifier) @_new)
  (#any-of? @_maker "Class" "Module" "Struct" "Data") (#any-of? @_new "new" "define")) @class
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(assignment left: (constant) @name) @constant

; Methods that a call defines, as blocks or patterns of a small language.
((call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name)) @function
  (#any-of? @_define "define_method" "def_node_matcher" "def_node_search"))

(class name: (_) @of superclass: (superclass (_) @base))
(class name: (_) @of body: (body_statement (call !receiver method: (identifier) @_mix
  arguments: (argument_list [(constant) (scope_resolution)] @base)) (#any-of? @_mix "include" "extend" "prepend")))
(module name: (_) @of body: (body_statement (call !receiver method: (identifier) @_mix
  arguments: (argument_list [(constant) (scope_resolution)] @base)) (#any-of? @_mix "include" "extend" "prepend")))

((call !receiver method: (identifier) @_load arguments: (argument_list . (string (string_content) @source))) @import
  (#any-of? @_load "require" "load"))
((call !receiver method: (identifier) @_load arguments: (argument_list . (string (string_content) @beside))) @import
  (#eq? @_load "require_relative"))
((call method: (identifier) @_load
    arguments: (argument_list . (simple_symbol) @taken (string (string_content) @source))) @import
  (#eq? @_load "autoload"))
