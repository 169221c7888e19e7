/** P3, P6, P10: turns in, and cold opens of, sessions that have many messages already. */
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkFloor, checkOurs, measure, of } from "./child.ts";
import type { Numbers } from "./child.ts";
import type { Bench } from "./measure-rounds.ts";
import { median } from "./measure.ts";
import { atMost, shown } from "./results.ts";
import type { Line } from "./results.ts";

const SIZES = [10, 100, 1_000, 10_000] as const;
type Size = (typeof SIZES)[number];
const TURNS = 30;

type Measured = Record<Size, Numbers[]>;

export async function measureHistory({ folder, times }: Bench): Promise<readonly Line[]> {
  for (const size of SIZES) await prepare(folder, size);
  const [turns, floorTurns, opens, floorOpens] = [empty(), empty(), empty(), empty()];
  const rests: Numbers[] = [];
  for (let time = 0; time < times; time += 1) {
    for (const size of SIZES) {
      opens[size].push(await measure("open", "ours", join(folder, `asked-${size}.db`)));
      floorOpens[size].push(await measure("open", "floor", join(folder, `floor-${size}.db`)));
      turns[size].push(await onCopy(folder, `ours-${size}.db`, (path) => history("ours", path)));
      floorTurns[size].push(await onCopy(folder, `floor-${size}.db`, (path) => history("floor", path)));
    }
    rests.push(await measure("rest", join(folder, "ours-10000.db")));
  }
  return [...lines(turns, floorTurns), ...openLines(opens, floorOpens), restLine(rests)];
}

const history = (who: string, path: string): Promise<Numbers> => measure("history", who, "normal", path, TURNS);

/** A session of so many messages, through the whole engine; the same with a prompt that is not answered yet; and the floor's. */
async function prepare(folder: string, size: Size): Promise<void> {
  const [ours, floor] = [join(folder, `ours-${size}.db`), join(folder, `floor-${size}.db`)];
  const rounds = size / 2 - 1;
  await measure("rounds", "ours", "normal", rounds, 1, ours);
  await checkOurs(ours, 1, rounds);
  await measure("rounds", "floor", "normal", size / 2, 1, floor);
  await checkFloor(floor, 1, size);
  const asked = join(folder, `asked-${size}.db`);
  copyFileSync(ours, asked);
  await measure("prompt", asked);
}

async function onCopy(folder: string, name: string, use: (path: string) => Promise<Numbers>): Promise<Numbers> {
  const copy = join(folder, "copy.db");
  for (const end of ["", "-wal", "-shm"]) rmSync(copy + end, { force: true });
  copyFileSync(join(folder, name), copy);
  return use(copy);
}

function empty(): Measured {
  return { 10: [], 100: [], 1_000: [], 10_000: [] };
}

function usual(numbers: readonly Numbers[], name: string): number {
  return median(numbers.map((each) => of(each, name)));
}

/** Of runs that were made in one go, large by small. */
function grown(measured: Measured, name: string): number {
  return median(measured[10_000].map((each, at) => of(each, name) / of(measured[100][at] ?? each, name)));
}

function lines(turns: Measured, floor: Measured): readonly Line[] {
  const sizes = [100, 1_000, 10_000] as const;
  const told = (measured: Measured, name: string): string =>
    sizes.map((size) => shown(usual(measured[size], name))).join(" / ");
  return [
    {
      target: "P3",
      what: "H(10,000) ÷ H(100), a turn with two calls, warm",
      wanted: "≤ 1.5",
      ...atMost(1.5, grown(turns, "turnMs")),
      note: `ms at 100 / 1,000 / 10,000: ${told(turns, "turnMs")}; floor ${told(floor, "turnMs")}`,
    },
    {
      target: "P3",
      what: "the same, CPU",
      wanted: "≤ 1.5",
      ...atMost(1.5, grown(turns, "turnCpuMs")),
      note: `ms: ${told(turns, "turnCpuMs")}; floor ${told(floor, "turnCpuMs")}`,
    },
    {
      target: "",
      what: "H(10,000): open and first turn, ms",
      wanted: "",
      value: shown(usual(turns[10_000], "firstMs")),
      met: undefined,
      note: `at 100 / 1,000 / 10,000: ${told(turns, "firstMs")}; floor ${told(floor, "firstMs")}`,
    },
  ];
}

function openLines(opens: Measured, floor: Measured): readonly Line[] {
  const more = (measured: Measured): number =>
    median(measured[10_000].map((each, at) => of(each, "decidedMs") - of(measured[10][at] ?? each, "decidedMs")));
  return [
    {
      target: "P6",
      what: "R(10,000) above R(10), ms",
      wanted: "≤ 150",
      ...atMost(150, more(opens)),
      note: `since the process began: ${shown(usual(opens[10_000], "decidedMs"))} and ${shown(usual(opens[10], "decidedMs"))}; floor ${shown(more(floor))} above`,
    },
  ];
}

function restLine(rests: readonly Numbers[]): Line {
  return {
    target: "P10",
    what: "a step at rest, 10,000 messages, ms",
    wanted: "≤ 0.02",
    ...atMost(0.02, usual(rests, "stepMs")),
    note: "asks every operation of the standard pipeline",
  };
}
