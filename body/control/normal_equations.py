"""Least-norm solutions of a few equations in plain numbers, for matrices that are not near a singular one."""

import math

Matrix = list[list[float]]  # by rows


def least_norm_solution(matrix: Matrix, right: list[float], smallest: float) -> list[float] | None:
    """Return the shortest x with matrix x = right: A' (A A')^-1 right; None if a singular value is too small.

    Those values are the roots of the eigenvalues of A A', which all exceed a number if A A' less that number has a
    Cholesky factor.

    Parameters
    ----------
    matrix
        at most as many rows as columns
    right
        a number for each row
    smallest
        all singular values must be larger
    """
    gram = _gram(matrix)
    if _cholesky(gram, smallest * smallest) is None:
        return None
    factor = _cholesky(gram, 0.0)
    if factor is None:
        return None
    multipliers = _backward(factor, _forward(factor, right))
    found = [0.0] * (len(matrix[0]) if matrix else 0)
    for index, row in enumerate(matrix):
        multiplier = multipliers[index]
        for column, number in enumerate(row):
            found[column] += multiplier * number
    return found


def dot(first: list[float], second: list[float], count: int) -> float:
    """Return the scalar product of the first numbers of two rows."""
    total = 0.0
    for index in range(count):
        total += first[index] * second[index]
    return total


def _gram(matrix: Matrix) -> Matrix:
    """Return the lower triangle of A A'."""
    return [[dot(row, matrix[other], len(row)) for other in range(index + 1)] for index, row in enumerate(matrix)]


def _cholesky(gram: Matrix, less: float) -> Matrix | None:
    """Return the lower triangle L with L L' = gram - less; None if there is none."""
    factor: Matrix = []
    for index, row in enumerate(gram):
        own: list[float] = []
        for column in range(index):
            other = factor[column]
            own.append((row[column] - dot(own, other, column)) / other[column])
        square = row[index] - less - dot(own, own, index)
        if not square > 0.0:  # nor for nan
            return None
        own.append(math.sqrt(square))
        factor.append(own)
    return factor


def _forward(factor: Matrix, right: list[float]) -> list[float]:
    """Return x with L x = right."""
    found: list[float] = []
    for index, row in enumerate(factor):
        found.append((right[index] - dot(row, found, index)) / row[index])
    return found


def _backward(factor: Matrix, right: list[float]) -> list[float]:
    """Return x with L' x = right."""
    found = list(right)
    for index in range(len(factor) - 1, -1, -1):
        row = factor[index]
        found[index] /= row[index]
        for column in range(index):
            found[column] -= row[column] * found[index]
    return found
