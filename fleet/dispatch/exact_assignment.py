"""The cheapest assignment of at most one job to each robot: the Hungarian method with potentials, O(jobs^2 robots).

H. W. Kuhn, The Hungarian method for the assignment problem, 1955, in the form with shortest augmenting paths of
R. Jonker and A. Volgenant, 1987.
"""

import math
from collections.abc import Sequence


def cheapest_columns(costs: Sequence[Sequence[float]]) -> list[int]:
    """Return a column for each row, no column twice, with the least sum of costs.

    Parameters
    ----------
    costs : by row and column, finite; there are at least as many columns as rows
    """
    rows, columns = len(costs), len(costs[0]) if costs else 0
    row_potentials = [0.0] * (rows + 1)
    column_potentials = [0.0] * (columns + 1)
    row_of = [0] * (columns + 1)  # rows and columns count from 1; 0 is none
    for row in range(1, rows + 1):
        came_from = [0] * (columns + 1)
        least = [math.inf] * (columns + 1)
        is_used = [False] * (columns + 1)
        row_of[0] = row
        column = 0
        while row_of[column]:
            is_used[column] = True
            here, delta, nearest = row_of[column], math.inf, 0
            for other in range(1, columns + 1):
                if is_used[other]:
                    continue
                reduced = costs[here - 1][other - 1] - row_potentials[here] - column_potentials[other]
                if reduced < least[other]:
                    least[other], came_from[other] = reduced, column
                if least[other] < delta:
                    delta, nearest = least[other], other
            for other in range(columns + 1):
                if is_used[other]:
                    row_potentials[row_of[other]] += delta
                    column_potentials[other] -= delta
                else:
                    least[other] -= delta
            column = nearest
        while column:
            row_of[column] = row_of[came_from[column]]
            column = came_from[column]
    found = [-1] * rows
    for column in range(1, columns + 1):
        if row_of[column]:
            found[row_of[column] - 1] = column - 1
    return found
