std = 'luajit'
cache = false
max_line_length = 120
-- Handlers and callbacks keep the parameters that Neovim passes, named, even when unused.
unused_args = false
read_globals = {
  vim = {
    other_fields = true,
    fields = {
      b = { read_only = false, other_fields = true },
      bo = { read_only = false, other_fields = true },
      env = { read_only = false, other_fields = true },
      g = { read_only = false, other_fields = true },
      notify = { read_only = false },
      o = { read_only = false, other_fields = true },
      opt = { read_only = false, other_fields = true },
      ui = { read_only = false, other_fields = true },
      v = { read_only = false, other_fields = true },
      wo = { read_only = false, other_fields = true },
    },
  },
}

-- Tests put stand-ins in the place of Neovim's functions. The pattern holds from this folder and from the
-- repository's root alike.
files['**/tests/**'] = { ignore = { '122' } }
