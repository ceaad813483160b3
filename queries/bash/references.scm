; Uses of names in Bash and its relatives.

(command name: (command_name (word) @name)) @reference.call
(simple_expansion (variable_name) @name) @reference.variable
(expansion (variable_name) @name) @reference.variable
