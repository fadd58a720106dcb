import type { SearchOptions } from '../search/search.js';

/** Rounds that a search may still spend, and whether it was told to stop. */
export class Budget {
  rounds = 0;
  /** Nothing more is to be done. */
  over = false;
  private untilAsked = 0;

  /**
   * @param stride rounds between two questions whether to stop: as many as certainly take less than 5 ms
   */
  constructor(
    private readonly options: Pick<SearchOptions, 'rounds' | 'shouldStop'>,
    private readonly stride: number,
  ) {}

  /** Takes one round; false when there is none left, or the search is to stop. */
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
