"""Networks through their authors' packages, in this process or in an environment of their own.

Each has two halves. The instrument brings frames to the network's size and makes a camera path of its answer. The part,
one file in `parts`, calls the authors' package; it imports nothing of ours, so that it runs where we are not installed.
"""
