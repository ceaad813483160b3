; Uses of anchors in YAML.

(alias (alias_name) @name) @reference.anchor
