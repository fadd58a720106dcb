"""A node of MADSci that calculates. Its name and address come from the environment."""

from madsci.node_module.helpers import action
from madsci.node_module.rest_node_module import RestNode


class Calculator(RestNode):
    @action
    def multiply(self, number: int, factor: int) -> int:
        return number * factor

    @action
    def score(self, number: int, product: int) -> int:
        return abs(product - 1024)


if __name__ == "__main__":
    Calculator().start_node()
