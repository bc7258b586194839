import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { LiveStatus, type Watcher } from "./live.ts";
import { aStatus, aView, NOW } from "./samples.suite.ts";
import type { StatusView } from "./views.ts";
import { applyChange, type StatusChange } from "./changes.ts";

/** A page: what it was told, and the status that it has by that. */
class Page implements Watcher {
  readonly told: string[] = [];
  full = false;
  view: StatusView | null = null;

  readonly isFull = (): boolean => this.full;

  readonly tell: Watcher["tell"] = (type, json) => {
    this.told.push(type);
    if (type === "status") this.view = JSON.parse(json) as StatusView;
    else if (this.view !== null) this.view = applyChange(this.view, JSON.parse(json) as StatusChange);
  };
}

function aStage() {
  const clock = new FakeClock();
  const stage = { view: aView(), made: 0, errors: [] as unknown[], fails: false };
  const live = new LiveStatus({
    status: () => {
      stage.made += 1;
      return stage.fails
        ? Promise.reject(new Error("bug"))
        : Promise.resolve({ ...stage.view, nowMs: NOW + stage.made });
    },
    clock,
    onError: (error) => stage.errors.push(error),
  });
  return { ...stage, stage, live, pass: async (seconds: number) => await clock.advance(seconds * 1000) };
}

test("a page is told the status at once and then only what changes, at most once a second", async () => {
  const { live, stage, pass } = aStage();
  const page = new Page();
  live.watch(page);
  await pass(0);
  expect(page.told).toEqual(["status"]);
  await pass(10);
  expect(page.told).toEqual(["status"]);
  stage.view = aView({ accounts: [aStatus({ accepted: 1 })] });
  await pass(0.5);
  stage.view = aView({ accounts: [aStatus({ accepted: 2 })] });
  await pass(1);
  expect(page.told).toEqual(["status", "change"]);
  expect(page.view?.accounts).toEqual(stage.view.accounts);
});

test("one status a second is made for all pages, and none while there is none", async () => {
  const { live, stage, pass } = aStage();
  await pass(100);
  expect(stage.made).toBe(0);
  const pages = Array.from({ length: 16 }, () => new Page());
  const leave = pages.map((page) => live.watch(page));
  expect(live.isFull).toBe(true);
  await pass(10);
  expect(stage.made).toBe(11);
  expect(pages.every(({ told }) => told.length === 1)).toBe(true);
  for (const each of leave) each();
  expect(live.isFull).toBe(false);
  await pass(100);
  expect(stage.made).toBe(11);
});

test("a page that comes to others is told at once, and nothing is asked for it", async () => {
  const { live, stage, pass } = aStage();
  live.watch(new Page());
  await pass(5.5);
  const late = new Page();
  live.watch(late);
  expect([late.told, late.view?.nowMs, stage.made]).toEqual([["status"], NOW + 6, 6]);
  stage.view = aView({ gateways: ["other"] });
  await pass(1);
  expect([late.told, late.view?.gateways]).toEqual([["status", "change"], ["other"]]);
});

test("a page that does not keep up is told everything when it takes again", async () => {
  const { live, stage, pass } = aStage();
  const page = new Page();
  live.watch(page);
  await pass(0);
  page.full = true;
  stage.view = aView({ gateways: ["a"] });
  await pass(1);
  stage.view = aView({ gateways: ["b"] });
  await pass(1);
  expect(page.told).toEqual(["status"]);
  page.full = false;
  await pass(1);
  expect([page.told, page.view?.gateways]).toEqual([["status", "status"], ["b"]]);
});

test("a status that fails is told of, and tried again", async () => {
  const { live, stage, pass } = aStage();
  const page = new Page();
  stage.fails = true;
  live.watch(page);
  await pass(0);
  expect([stage.errors.length, page.told]).toEqual([1, []]);
  stage.fails = false;
  await pass(1);
  expect(page.told).toEqual(["status"]);
});
