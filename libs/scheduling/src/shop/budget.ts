import type { SearchOptions } from '../search/search.js';

/** The remaining rounds of a search, and whether it was told to stop. */
export class Budget {
  rounds = 0;
  /** True when the search must end. */
  over = false;
  private untilAsked = 0;

  /** @param stride rounds between two calls of `shouldStop`, which take less than 5 ms together */
  constructor(
    private readonly options: Pick<SearchOptions, 'rounds' | 'shouldStop'>,
    private readonly stride: number,
  ) {}

  /** Takes one round; false when none is left, or the search must stop. */
  spend(): boolean {
    if (this.over) return false;
    if (this.rounds === this.options.rounds) return this.end();
    if (this.untilAsked-- === 0) {
      if (this.options.shouldStop()) return this.end();
      this.untilAsked = this.stride;
    }
    this.rounds++;
    return true;
  }

  end(): false {
    this.over = true;
    return false;
  }
}
