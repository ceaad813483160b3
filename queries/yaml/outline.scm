; Keys of YAML, nested as their values are.

(block_mapping_pair key: (flow_node) @name) @definition.key
(flow_pair key: (flow_node) @name) @definition.key

(comment) @above
