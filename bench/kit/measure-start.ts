/** P7: from the start of the process to the first byte of the model request. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { measure, of } from "./child.ts";
import type { Numbers } from "./child.ts";
import type { Bench } from "./measure-rounds.ts";
import { median } from "./measure.ts";
import { atMost, shown } from "./results.ts";
import type { Line } from "./results.ts";

export async function measureStart({ folder, times }: Bench, main: string): Promise<readonly Line[]> {
  const starts: Numbers[] = [];
  for (let time = 0; time < 2 * times; time += 1) {
    const home = join(folder, `start-${time}`);
    mkdirSync(home);
    starts.push(await measure("start", main, home));
  }
  const ratio = median(starts.map((each) => of(each, "startMs") / of(each, "floorMs")));
  const usual = (name: string): string => shown(median(starts.map((each) => of(each, name))));
  return [
    {
      target: "P7",
      what: "S: `dacapo run` to the first byte of the model request ÷ `node -e 0`",
      wanted: "≤ 4",
      ...atMost(4, ratio),
      note: `${usual("startMs")} ms, node ${usual("floorMs")} ms`,
    },
  ];
}
