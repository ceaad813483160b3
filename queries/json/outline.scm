; Keys of JSON, nested as their values are.

(pair key: (string) @name) @definition.key
