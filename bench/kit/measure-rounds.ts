/** P1, P2, P4, P8, P9: W(200) and W(3,000), ours and the floor in turn. */
import { join } from "node:path";
import { checkFloor, checkOurs, measure, of } from "./child.ts";
import type { Numbers } from "./child.ts";
import type { Durability } from "./engine.ts";
import { median } from "./measure.ts";
import { atMost, shown } from "./results.ts";
import type { Line } from "./results.ts";

export interface Bench {
  readonly folder: string;
  /** How often each is measured. */
  readonly times: number;
  readonly quick: boolean;
}

interface Work {
  readonly durability: Durability;
  readonly rounds: number;
  readonly sessions: number;
}

interface Pair {
  readonly ours: Numbers;
  readonly floor: Numbers;
}

export async function measureRounds({ folder, times, quick }: Bench): Promise<readonly Line[]> {
  const short = { rounds: 200, sessions: 4 };
  const [normal, full, long]: [Pair[], Pair[], Pair[]] = [[], [], []];
  const alone: Numbers[] = [];
  for (let time = 0; time < times; time += 1) {
    const path = join(folder, `rounds-${time}`);
    normal.push(await pair(`${path}-normal`, { ...short, durability: "normal" }));
    full.push(await pair(`${path}-full`, { ...short, durability: "full" }));
    alone.push((await pair(`${path}-alone`, { durability: "normal", rounds: 200, sessions: 1 })).ours);
    if (time < (quick ? 1 : times)) {
      long.push(await pair(`${path}-long`, { durability: "normal", rounds: 3_000, sessions: 1 }));
    }
  }
  return [...speed(normal, full), steady(long), ...growth(long, alone), ...memory(long, await outputRss(folder))];
}

async function pair(path: string, { durability, rounds, sessions }: Work): Promise<Pair> {
  const ours = await measure("rounds", "ours", durability, rounds, sessions, `${path}-ours.db`);
  const floor = await measure("rounds", "floor", durability, rounds, sessions, `${path}-floor.db`);
  await checkOurs(`${path}-ours.db`, sessions, rounds);
  await checkFloor(`${path}-floor.db`, sessions, 2 * rounds);
  return { ours, floor };
}

function ratio(pairs: readonly Pair[], name: string): number {
  return median(pairs.map(({ ours, floor }) => of(ours, name) / of(floor, name)));
}

function usual(numbers: readonly Numbers[], name: string): number {
  return median(numbers.map((each) => of(each, name)));
}

function perRound(pairs: readonly Pair[], name: string, rounds: number): string {
  const [ours, floor] = [pairs.map((each) => each.ours), pairs.map((each) => each.floor)];
  return `${shown(usual(ours, name) / rounds)} ms a round, floor ${shown(usual(floor, name) / rounds)}`;
}

function speed(normal: readonly Pair[], full: readonly Pair[]): readonly Line[] {
  const line = (pairs: readonly Pair[], name: string, limit: number): Omit<Line, "target" | "what"> => ({
    wanted: `≤ ${limit} × floor`,
    ...atMost(limit, ratio(pairs, name)),
    note: perRound(pairs, name, 200),
  });
  const cold = "W(200), first session of its process";
  const warm = "W(200), fourth session of its process";
  return [
    { target: "P1", what: `${cold}: CPU at NORMAL`, ...line(normal, "cpuMs", 5) },
    { target: "P1", what: `${warm}: CPU at NORMAL`, ...line(normal, "warmCpuMs", 5) },
    { target: "P1", what: `${cold}: wall clock at FULL`, ...line(full, "wallMs", 2) },
    { target: "P1", what: `${warm}: wall clock at FULL`, ...line(full, "warmWallMs", 2) },
  ];
}

/** A process that has done so many rounds compiles no more. */
function steady(long: readonly Pair[]): Line {
  return {
    target: "P1",
    what: "W(3,000), its last 100 rounds: wall clock at NORMAL",
    wanted: "≤ 5 × floor",
    ...atMost(5, ratio(long, "late100Ms")),
    note: `${perRound(long, "late100Ms", 1)}; CPU of the whole run ${shown(ratio(long, "cpuMs"))} ×`,
  };
}

function growth(long: readonly Pair[], alone: readonly Numbers[]): readonly Line[] {
  const ours = long.map((each) => each.ours);
  const between = (late: string, early: string): number => median(ours.map((each) => of(each, late) / of(each, early)));
  const transactions = usual(alone, "transactions") / 200;
  return [
    {
      target: "P2",
      what: "W(3,000): last 10 rounds ÷ first 10",
      wanted: "≤ 1.3",
      ...atMost(1.3, between("last10Ms", "first10Ms")),
      note: `${shown(usual(ours, "last10Ms"))} ms and ${shown(usual(ours, "first10Ms"))} ms`,
    },
    {
      target: "P2",
      what: "W(3,000): median of the last 100 ÷ of the second 100, when code is warm",
      wanted: "≤ 1.3",
      ...atMost(1.3, between("late100Ms", "early100Ms")),
      note: `${shown(usual(ours, "late100Ms"))} ms and ${shown(usual(ours, "early100Ms"))} ms`,
    },
    {
      target: "P4",
      what: "W(200): bytes a round",
      wanted: "≤ 4,096",
      ...atMost(4_096, usual(alone, "bytes") / 200),
      note: `whole file; at 3,000 rounds ${shown(usual(ours, "bytes") / 3_000)}; ${shown(transactions)} transactions a round`,
    },
    {
      target: "P9",
      what: "W(3,000) at NORMAL: p99 of a round ÷ median",
      wanted: "≤ 3",
      ...atMost(3, between("p99Ms", "medianMs")),
      note: `${shown(usual(ours, "p99Ms"))} ms and ${shown(usual(ours, "medianMs"))} ms; floor ${shown(
        usual(
          long.map((each) => each.floor),
          "p99Ms",
        ),
      )} ms and ${shown(
        usual(
          long.map((each) => each.floor),
          "medianMs",
        ),
      )} ms`,
    },
  ];
}

/** The first long output lets the young generation grow to its full size once; more of it must not need more. */
const [MANY, MORE] = [100_000, 400_000];

interface OutputRss {
  readonly many: number;
  readonly more: number;
}

async function outputRss(folder: string): Promise<OutputRss> {
  const many = await measure("output", MANY, join(folder, "output-many.db"));
  const more = await measure("output", MORE, join(folder, "output-more.db"));
  return { many: of(many, "rssMb"), more: of(more, "rssMb") };
}

function memory(long: readonly Pair[], { many, more }: OutputRss): readonly Line[] {
  const over = median(long.map(({ ours, floor }) => of(ours, "rssMb") - 1.5 * of(floor, "rssMb")));
  const [ours, floor] = [
    usual(
      long.map((each) => each.ours),
      "rssMb",
    ),
    usual(
      long.map((each) => each.floor),
      "rssMb",
    ),
  ];
  return [
    {
      target: "P8",
      what: "W(3,000): peak memory above 1.5 × floor, MB",
      wanted: "≤ 60",
      ...atMost(60, over),
      note: `${shown(ours)} MB, floor ${shown(floor)} MB`,
    },
    {
      target: "P8",
      what: "peak memory of 400,000 lines of tool output ÷ of 100,000",
      wanted: "does not grow",
      ...atMost(1.1, more / many),
      note: `${shown(more)} MB and ${shown(many)} MB`,
    },
  ];
}
