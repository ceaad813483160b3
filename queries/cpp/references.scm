; Uses of names in C++ beside those of C.

(call_expression
  function: [
    (qualified_identifier name: (identifier) @name)
    (template_function name: (identifier) @name)
    (qualified_identifier name: (template_function name: (identifier) @name))
  ]) @reference.call
