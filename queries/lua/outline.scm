; Definitions of Lua. Locals of a function are left out later.

(function_declaration name: (identifier) @name) @definition.function
(function_declaration
  name: (dot_index_expression
    table: (_) @scope
    field: (identifier) @name)) @definition.function
(function_declaration
  name: (method_index_expression
    table: (_) @scope
    method: (identifier) @name)) @definition.method

(assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition))) @definition.function
(assignment_statement
  (variable_list
    .
    name: (dot_index_expression
      table: (_) @scope
      field: (identifier) @name))
  (expression_list . value: (function_definition))) @definition.function
(field
  name: (identifier) @name
  value: (function_definition)) @definition.function

(variable_declaration
  (assignment_statement (variable_list name: (identifier) @name))) @definition.variable
(variable_declaration (variable_list name: (identifier) @name)) @definition.variable
(chunk
  (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)

(comment) @above
