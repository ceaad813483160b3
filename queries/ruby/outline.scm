; Definitions of Ruby.

(class name: [(constant) (scope_resolution)] @name) @definition.class
(module name: [(constant) (scope_resolution)] @name) @definition.module
(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.method
(alias name: (_) @name) @definition.method

(assignment
  left: (constant) @name
  right: (call
    receiver: (constant) @_class
    method: (identifier) @_new)
  (#eq? @_class "Struct")
  (#eq? @_new "new")) @definition.struct
(assignment left: (constant) @name) @definition.constant

((call
  method: (identifier) @_method
  arguments: (argument_list (simple_symbol) @name @definition.property))
  (#any-of? @_method "attr_reader" "attr_writer" "attr_accessor")
  (#set! strip ":"))

((call
  method: (identifier) @_method
  arguments: (argument_list . [(string) (constant) (scope_resolution)] @name)
  block: (_)) @definition.test
  (#any-of? @_method "describe" "context" "it" "specify" "feature" "scenario" "test"))
((call
  method: (identifier) @_method
  arguments: (argument_list . [(simple_symbol) (pair key: (_) @name)] @name)
  block: (_)) @definition.function
  (#any-of? @_method "task" "namespace")
  (#set! strip ":"))

(comment) @above
