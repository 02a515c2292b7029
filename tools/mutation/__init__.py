"""Mutation check: does some test fail when a line of the package is made wrong?

    python -m tools.mutation --mutants 200 --seed 0

1. `coverage_map` runs the tests once under coverage.py and writes down which test reaches which line, also through
   the commands and workers that tests start. The map is kept until the sources or the tests change.
2. `mutants` finds every small change the operators can make to core, stats, functional and engine, and draws some.
3. `trial` puts one change into a copy of the tree and runs the tests that reach its line, fast ones first, until one
   fails. The checkout itself is never touched.
4. `report` lists the mutants no test noticed, each with its diff; `equivalent.toml` names those that change nothing
   anybody can see, and why.

No mutation framework is used. Those we know start a fresh interpreter per mutant or mutate a whole file into one
module full of switches; here importing numpy, OpenCV and pandas takes longer than most tests, and half of the engine
is reached only through commands and workers in processes of their own. A fork of a process that holds the libraries,
over a copied tree that children see too, costs a second or two.
"""
