; Definitions of Python. What is assigned in a function is local to it and left out later.

(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
(type_alias_statement left: (type (identifier) @name)) @definition.type
(type_alias_statement left: (type (generic_type (identifier) @name))) @definition.type

(class_definition
  body: (block
    (expression_statement
      (assignment left: (identifier) @name)) @definition.field))

((expression_statement
  (assignment left: (identifier) @name)) @definition.constant
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(expression_statement
  (assignment left: (identifier) @name)) @definition.variable

(decorator) @above
(comment) @above
