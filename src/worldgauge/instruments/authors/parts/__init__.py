"""Files that call authors' packages. None imports another, or anything of ours."""
