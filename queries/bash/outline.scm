; Definitions of Bash and its relatives. Variables that a function sets are left out later.

(function_definition name: (word) @name) @definition.function
((declaration_command
  "readonly"
  (variable_assignment name: (variable_name) @name)) @definition.constant)
((variable_assignment name: (variable_name) @name) @definition.variable)

(comment) @above
