interface Entry {
  at: number;
  id: string;
}

/** Deadlines by id, earliest first. Setting a deadline again replaces the earlier one. */
export class Deadlines {
  /** A binary heap. An entry that differs from `#current` is out of date and is skipped. */
  #heap: Entry[] = [];
  readonly #current = new Map<string, number>();

  set(id: string, at: number): void {
    if (this.#current.get(id) === at) return;
    this.#current.set(id, at);
    // Keeps the number of outdated entries below that of current ones.
    if (this.#heap.length > 2 * this.#current.size + 64) {
      this.#heap = [...this.#current].map(([each, when]) => ({ id: each, at: when })).sort(order);
      return;
    }
    this.#heap.push({ id, at });
    this.#rise(this.#heap.length - 1);
  }

  delete(id: string): void {
    this.#current.delete(id);
  }

  clear(): void {
    this.#heap = [];
    this.#current.clear();
  }

  /** The earliest deadline; among equal ones the lowest id; undefined when there is none. */
  first(): Readonly<Entry> | undefined {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined || this.#current.get(first.id) === first.at) return first;
      this.#removeFirst();
    }
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink();
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (this.#inOrder(above, index)) return;
      this.#swap(above, index);
      index = above;
    }
  }

  #sink(): void {
    for (let index = 0; ;) {
      let next = index;
      for (const below of [2 * index + 1, 2 * index + 2])
        if (below < this.#heap.length && !this.#inOrder(next, below)) next = below;
      if (next === index) return;
      this.#swap(index, next);
      index = next;
    }
  }

  #inOrder(above: number, below: number): boolean {
    const [a, b] = [this.#heap[above], this.#heap[below]];
    return a === undefined || b === undefined || order(a, b) <= 0;
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#heap[a], this.#heap[b]];
    if (first === undefined || second === undefined) return;
    this.#heap[a] = second;
    this.#heap[b] = first;
  }
}

function order(a: Entry, b: Entry): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
