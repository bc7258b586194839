/** So much of something one key may have at a time. */
export class AddressShares {
  readonly #most: number;
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Gives it back, once; null: the key would have more than it may. */
  take(key: string, amount = 1): (() => void) | null {
    const taken = this.#taken.get(key) ?? 0;
    if (taken + amount > this.#most) return null;
    this.#taken.set(key, taken + amount);
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      const left = (this.#taken.get(key) ?? amount) - amount;
      if (left > 0) this.#taken.set(key, left);
      else this.#taken.delete(key);
    };
  }
}

type Wish = readonly [shares: AddressShares, key: string, amount?: number];

/** Takes a share of each; null, with nothing taken, where one has none left. */
function takeEach(wishes: readonly Wish[]): (() => void) | null {
  const taken: (() => void)[] = [];
  const giveBack = (): void => {
    for (const back of taken) back();
  };
  for (const [shares, key, amount] of wishes) {
    const back = shares.take(key, amount);
    if (back === null) {
      giveBack();
      return null;
    }
    taken.push(back);
  }
  return giveBack;
}

/** Uploads that come in at the same time: of all guests, of one address, and of one guest. */
const UPLOADS = 32;
const UPLOADS_OF_ADDRESS = 8;
const UPLOADS_OF_GUEST = 4;
/** Bytes of other bodies that come in at the same time, of all guests and of one address. */
const BODIES = 32 * 1024 * 1024;
const BODIES_OF_ADDRESS = 8 * 1024 * 1024;

/** What the requests of one account that are still coming in may have. Slow ones are not to be in the way of others. */
export class Incoming {
  readonly #uploads = new AddressShares(UPLOADS);
  readonly #ofAddress = new AddressShares(UPLOADS_OF_ADDRESS);
  readonly #ofGuest = new AddressShares(UPLOADS_OF_GUEST);
  readonly #bodies = new AddressShares(BODIES);
  readonly #bodiesOfAddress = new AddressShares(BODIES_OF_ADDRESS);

  /** Gives the share back; null: there is none left. */
  upload(owner: string, guest: string): (() => void) | null {
    return takeEach([
      [this.#uploads, ""],
      [this.#ofAddress, owner],
      [this.#ofGuest, guest],
    ]);
  }

  /** The same for a body of so many bytes. */
  body(owner: string, bytes: number): (() => void) | null {
    return takeEach([
      [this.#bodies, "", bytes],
      [this.#bodiesOfAddress, owner, bytes],
    ]);
  }
}
