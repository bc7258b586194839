import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { deferred, delivered, outletOf, Stage } from "../stage.suite.ts";

/** Time goes on with every look at it, as it does outside tests. */
class RunningClock extends FakeClock {
  #looks = 0;

  override monoMs(): number {
    this.#looks += 1;
    return super.monoMs() + this.#looks;
  }
}

test("a wait that ends while the lane looks at the clock does not last forever", async () => {
  for (let early = 0; early < 40; early += 1) {
    const stage = new Stage({ clock: new RunningClock() });
    await stage.open();
    let tries = 0;
    const post = async () => {
      tries += 1;
      return await Promise.resolve(tries === 1 ? deferred(100) : delivered);
    };
    await stage.say("one");
    await stage.connect(outletOf(post));
    await stage.clock.advance(100 - early);
    stage.lane.wake();
    await stage.clock.advance(1_000);
    expect(tries, `woken ${early} ms early`).toBe(2);
  }
});
