"""How help pages and answers name menus, buttons and settings: a file a language."""
