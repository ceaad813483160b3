; References of JSON Schema.

((pair
  key: (string) @_key
  value: (string (string_content) @name)) @reference.schema
  (#eq? @_key "\"$ref\""))
