"""Per-example gradients: each client's own gradient of the loss, for many clients at once.

For a feed-forward model the gradient of a layer's weights is a product of what came into the layer and of the gradient
of the loss by what left it. ``Factored`` keeps the two factors, which one backward pass yields for the whole batch, and
multiplies them out only as far as asked: whole gradients, their largest entries, or the one entry that a client sends.
``reference`` is ``torch.func.vmap(grad)``, and takes any model that treats examples one by one. ``gradients`` takes the
fast path where it applies, and else the reference.
"""

import copy
from collections.abc import Iterator
from typing import Protocol

import torch
from torch import nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional as F
from torch.nn.modules.batchnorm import _BatchNorm

CHUNK_BYTES = 1 << 23  # of gradients at once; more is not faster, since it leaves the cache
PATCH_BYTES = 1 << 20  # of a convolution's windows at once: they are copied to be used once, so the copy stays small
# Layers that have no parameters and treat every example by itself.
PER_EXAMPLE = (
    nn.AvgPool2d, nn.ELU, nn.Flatten, nn.GELU, nn.Identity, nn.LeakyReLU, nn.MaxPool2d, nn.ReLU,
    nn.Sigmoid, nn.SiLU, nn.Softplus, nn.Tanh, nn.ZeroPad2d,
)  # fmt: skip
OWN = (nn.Conv2d, nn.Linear)  # layers with parameters that there is a rule for


class Gradients(Protocol):
    """The gradients of a batch, one client a row, entries in the order of ``model.parameters()``."""

    def full(self) -> torch.Tensor:
        """All of them, clients x parameters."""

    def entries(self, rows: torch.Tensor) -> torch.Tensor:
        """Of each client's gradient the one entry with the number given for it."""

    def largest(self) -> torch.Tensor:
        """The largest absolute entry, the l_inf norm, of each."""


def parameter_count(model: nn.Module) -> int:
    """The length of a gradient."""
    return sum(parameter.numel() for parameter in model.parameters())


def chunk_size(model: nn.Module) -> int:
    """How many clients' gradients to take at once."""
    return max(1, CHUNK_BYTES // (4 * parameter_count(model)))


def gradients(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> Gradients:
    """Each example's gradient of the cross-entropy of the model's outputs for ``x`` and the classes ``y``."""
    try:
        return Factored(model, x, y)
    except NoRule:
        return reference(model, x, y)


def chunks(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> Iterator[Gradients]:
    """The gradients of a large batch, a piece that fits in the cache at a time."""
    _check(model, x, y)
    size = chunk_size(model)
    for start in range(0, len(x), size):
        yield gradients(model, x[start : start + size], y[start : start + size])


def per_example(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Every example's gradient, examples x parameters, in one tensor."""
    _check(model, x, y)
    table = x.new_empty(len(x), parameter_count(model))
    done = 0
    for piece in chunks(model, x, y):
        rows = piece.full()
        table[done : done + len(rows)] = rows
        done += len(rows)
    return table


class NoRule(TypeError):
    """What ``Factored`` says of a model that only ``reference`` takes."""


class Table:
    """Gradients that are there already, one client a row."""

    def __init__(self, rows: torch.Tensor) -> None:
        if not isinstance(rows, torch.Tensor):
            raise TypeError(f"rows must be a tensor, one client a row, got {rows!r}")
        if rows.ndim != 2 or rows.numel() == 0 or not rows.is_floating_point():
            raise ValueError(f"rows must be a table of floating-point numbers, one client a row, got {rows!r}")
        self._rows = rows

    def full(self) -> torch.Tensor:
        return self._rows

    def entries(self, rows: torch.Tensor) -> torch.Tensor:
        _check_rows(rows, *self._rows.shape)
        return self._rows.gather(1, rows[:, None])[:, 0]

    def largest(self) -> torch.Tensor:
        return self._rows.abs().amax(dim=1)


def reference(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> Table:
    """Reverse-mode differentiation of one example's loss, vectorised over examples."""
    classes = _check(model, x, y)
    for layer in model.modules():
        if isinstance(layer, _BatchNorm) and (layer.training or layer.running_mean is None):
            name = type(layer).__name__
            raise ValueError(
                f"model must treat examples one by one, but its {name} averages over a batch: "
                "use GroupNorm, or model.eval() where it has running averages"
            )
    parameters = {name: parameter.detach() for name, parameter in model.named_parameters()}
    model = copy.deepcopy(model)  # since functional_call spoils a model that uses a layer twice

    def loss(parameters: dict[str, torch.Tensor], x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return _loss(functional_call(model, parameters, x[None]), y[None], classes)

    found = vmap(grad(loss), in_dims=(None, 0, 0))(parameters, x.detach(), y)
    return Table(torch.cat([found[name].flatten(1) for name in parameters], dim=1))


class Factored:
    """Layer inputs and output gradients, multiplied out as asked."""

    def __init__(self, model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> None:
        classes = _check(model, x, y)
        own, outputs, x = [], [], x.detach()
        self._layers: list[_LinearFactors | _ConvFactors] = []
        with torch.enable_grad():
            for layer in _layers(model):
                before, x = x, layer(x)
                if isinstance(layer, OWN):
                    if before.ndim != (2 if isinstance(layer, nn.Linear) else 4):
                        raise NoRule(f"no rule for {type(layer).__name__} of inputs of shape {tuple(before.shape)}")
                    # Where nothing before asks for a gradient, the way back ends here.
                    x = x if x.requires_grad else x.requires_grad_()
                    own.append((layer, before.detach()))
                    outputs.append(x)
            deltas = torch.autograd.grad(_loss(x, y, classes), outputs)
        for (layer, before), delta in zip(own, deltas, strict=True):
            kind = _LinearFactors if isinstance(layer, nn.Linear) else _ConvFactors
            self._layers.append(kind(layer, before, delta))
        self._ends = [0]
        for layer, _ in own:
            self._ends.append(self._ends[-1] + parameter_count(layer))

    def full(self) -> torch.Tensor:
        table = self._layers[0].delta.new_empty(len(self._layers[0].delta), self._ends[-1])
        for layer, start, end in zip(self._layers, self._ends, self._ends[1:], strict=False):
            layer.write(table[:, start:end])
        return table

    def entries(self, rows: torch.Tensor) -> torch.Tensor:
        _check_rows(rows, len(self._layers[0].delta), self._ends[-1])
        found = self._layers[0].delta.new_empty(len(rows))
        for layer, start, end in zip(self._layers, self._ends, self._ends[1:], strict=False):
            mine = ((start <= rows) & (rows < end)).nonzero()[:, 0]
            found[mine] = layer.entries(mine, rows[mine] - start)
        return found

    def largest(self) -> torch.Tensor:
        return torch.stack([layer.largest() for layer in self._layers]).amax(dim=0)


class _LinearFactors:
    """A linear layer's gradient is the outer product of ``delta``, by what left it, and of what came in."""

    def __init__(self, layer: nn.Linear, inputs: torch.Tensor, delta: torch.Tensor) -> None:
        self.inputs, self.delta, self.bias = inputs, delta, layer.bias is not None
        self.size = layer.weight.numel()

    def write(self, table: torch.Tensor) -> None:
        n, out = self.delta.shape
        torch.mul(self.delta[:, :, None], self.inputs[:, None, :], out=table[:, : self.size].view(n, out, -1))
        table[:, self.size :] = self.delta if self.bias else 0

    def entries(self, clients: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        width = self.inputs.shape[1]
        weight = rows < self.size
        row = torch.where(weight, rows // width, rows - self.size)
        factor = torch.where(weight, self.inputs[clients, rows % width], 1)
        return self.delta[clients, row] * factor

    def largest(self) -> torch.Tensor:
        inputs = self.inputs.abs().amax(dim=1)
        return self.delta.abs().amax(dim=1) * (inputs.clamp(min=1) if self.bias else inputs)


class _ConvFactors:
    """A convolution is a linear layer at every place of the image, so that the outer products add up over places."""

    def __init__(self, layer: nn.Conv2d, inputs: torch.Tensor, delta: torch.Tensor) -> None:
        (high, wide), (down, right) = layer.kernel_size, layer.stride
        self.bias = layer.bias is not None
        self.size = layer.weight.numel()
        self.delta = delta.flatten(2)  # clients x channels out x places
        # Every window, without a copy: clients x channels in x window (2) x places (2)
        self.windows = inputs.unfold(2, high, down).unfold(3, wide, right).permute(0, 1, 4, 5, 2, 3)

    def write(self, table: torch.Tensor) -> None:
        n, channels, high, wide, *_ = self.windows.shape
        # A window's entries next to each other, channels innermost: this is how they lie in memory, if channels last.
        patches = self.windows.permute(0, 4, 5, 2, 3, 1)
        weights = table[:, : self.size].view(n, -1, channels, high, wide).permute(0, 1, 3, 4, 2)
        step = max(1, PATCH_BYTES // (patches[0].numel() * patches.element_size()))
        for some in (slice(start, start + step) for start in range(0, n, step)):
            window = patches[some].flatten(3).flatten(1, 2)
            weights[some] = torch.bmm(self.delta[some], window).view(weights[some].shape)
        table[:, self.size :] = self.delta.sum(dim=2) if self.bias else 0

    def entries(self, clients: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        weight = rows < self.size
        place = torch.where(weight, rows, 0)
        _, channels, high, wide, *_ = self.windows.shape
        column = place % (channels * high * wide)
        out = torch.where(weight, place // (channels * high * wide), rows - self.size)
        window = self.windows[clients, column // (high * wide), column // wide % high, column % wide].flatten(1)
        return (self.delta[clients, out] * torch.where(weight[:, None], window, 1)).sum(dim=1)

    def largest(self) -> torch.Tensor:
        table = self.delta.new_empty(len(self.delta), self.size + (self.delta.shape[1] if self.bias else 0))
        self.write(table)
        return table.abs().amax(dim=1)


def _layers(model: nn.Module) -> list[nn.Module]:
    """The layers in order, where there is a rule for each, and no parameter is used twice."""
    layers = _flatten(model)
    parameters = [parameter for layer in layers for parameter in layer.parameters()]
    if len(parameters) != len(set(parameters)):
        raise NoRule("no rule for parameters that are used twice")
    return layers


def _flatten(model: nn.Module) -> list[nn.Module]:
    """The layers of nested sequences, in order."""
    if type(model) is nn.Sequential:
        return [layer for part in model for layer in _flatten(part)]
    plain_conv = type(model) is nn.Conv2d and (model.padding, model.dilation, model.groups) == ((0, 0), (1, 1), 1)
    # What works in place would overwrite the outputs by which the loss is differentiated.
    per_example = type(model) in PER_EXAMPLE and not getattr(model, "inplace", False)
    if not (plain_conv or per_example or type(model) is nn.Linear):
        raise NoRule(f"no rule for {model}")
    return [model]


def _loss(scores: torch.Tensor, y: torch.Tensor, classes: int) -> torch.Tensor:
    """The cross-entropy, summed over examples, of which there is one a row."""
    if scores.shape[:-1] != y.shape or scores.shape[-1] < classes:
        raise ValueError(
            f"model must give each example a row of scores, one for each of {classes} or more classes, "
            f"got outputs of shape {tuple(scores.shape)} for {len(y)} examples"
        )
    return F.cross_entropy(scores, y, reduction="sum")


def _check(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> int:
    """How many classes there are at least."""
    if not isinstance(model, nn.Module) or not any(True for _ in model.parameters()):
        raise TypeError(f"model must be a torch.nn.Module with parameters, got {type(model).__name__}")
    for name, value in {"x": x, "y": y}.items():
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"{name} must be a tensor, got {value!r}")
    if not x.is_floating_point() or x.ndim == 0 or len(x) == 0:
        raise ValueError(f"x must hold one or more examples of floating-point numbers, got {x.dtype}, {tuple(x.shape)}")
    if y.dtype != torch.int64 or y.shape != (len(x),) or int(y.min()) < 0:
        raise ValueError(f"y must hold a class, an int64 from 0 on, for each of the {len(x)} examples, got {y!r}")
    return int(y.max()) + 1


def _check_rows(rows: torch.Tensor, n: int, d: int) -> None:
    fits = isinstance(rows, torch.Tensor) and rows.dtype == torch.int64 and rows.shape == (n,)
    if not (fits and int(rows.min()) >= 0 and int(rows.max()) < d):
        raise ValueError(f"rows must hold an int64 from 0 to {d - 1} for each of the {n} clients, got {rows!r}")
