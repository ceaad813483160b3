; Uses of names in Ruby.

(call method: [(identifier) (constant)] @name) @reference.call
(superclass (constant) @name) @reference.type
(superclass (scope_resolution name: (constant) @name)) @reference.type
(constant) @name @reference.type
