// @ts-types="@types/d3-scale"
import { scaleBand, scaleLinear } from "d3-scale";

/** A chart is about as wide as it is shown, so that its text keeps its size. */
const WIDTH = 340;
const HEIGHT = 150;
const LEFT = 44;
const BOTTOM = 20;
const TOP = 8;
const TICKS = 3;
/** Below it a day with little could not be told from one without any. */
const LEAST_BAR = 1.5;

export interface DayChartProps {
  title: string;
  /** What is shown beside the title: the sum, say. */
  sum: string;
  /** Whole numbers, one a day, in order; `part` is drawn over the foot of the bar, in the colour of faults. */
  days: readonly { day: string; value: number; part?: number }[];
  /** A value as it is read: on the axis, and in words. */
  format: (value: number) => string;
  /** Said of `part`, as in `3 failed`. */
  partName?: string;
}

/** Bars by day, drawn by the server. What they show is also told: in a title each, and as a table. */
export function DayChart({ title, sum, days, format, partName = "" }: DayChartProps) {
  const x = scaleBand(days.map(({ day }) => day), [LEFT, WIDTH]).paddingInner(0.25);
  const most = Math.max(...days.map(({ value }) => value), 0);
  const y = scaleLinear([0, most === 0 ? 1 : most], [HEIGHT - BOTTOM, TOP]).nice(TICKS);
  const height = (value: number) => value === 0 ? 0 : Math.max(LEAST_BAR, y(0) - y(value));
  const bar = (day: string, value: number) => ({
    x: round(x(day) ?? 0),
    y: round(y(0) - height(value)),
    width: round(x.bandwidth()),
    height: round(height(value)),
  });
  return (
    <figure class="card chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <span class="chart-sum">{sum}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={describe({ title, sum, days })}
      >
        {toldOnce(most === 0 ? [0] : y.ticks(TICKS), format).map((tick) => (
          <g key={tick} class="chart-tick">
            <path d={`M${LEFT} ${round(y(tick))}H${WIDTH}`} />
            <text x={LEFT - 6} y={round(y(tick)) + 4}>{format(tick)}</text>
          </g>
        ))}
        {days.map(({ day, value, part = 0 }) => (
          <g key={day}>
            {/* Without a key Fresh takes any <title> for the page's own, and swaps the two. */}
            <title key="day">
              {`${shortDay(day)}: ${format(value)}${
                part === 0 ? "" : `, ${format(part)} ${partName}`
              }`}
            </title>
            <rect class="chart-hit" {...bar(day, most === 0 ? 1 : y.domain()[1]!)} />
            <rect class="chart-bar" {...bar(day, value)} />
            {part > 0 && <rect class="chart-part" {...bar(day, part)} />}
          </g>
        ))}
        <g class="chart-days">
          <text x={LEFT} y={HEIGHT - 4}>{shortDay(days[0]?.day)}</text>
          <text x={WIDTH} y={HEIGHT - 4} text-anchor="end">{shortDay(days.at(-1)?.day)}</text>
        </g>
      </svg>
    </figure>
  );
}

/** Values that read alike stand on an axis once: half a run, or less than the least amount of money. */
function toldOnce(ticks: readonly number[], format: DayChartProps["format"]): number[] {
  const whole = ticks.filter(Number.isInteger);
  return whole.filter((tick, i) =>
    whole.findIndex((other) => format(other) === format(tick)) === i
  );
}

const dayNames = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });

/** `12 Jan` of a day as `YYYY-MM-DD`. */
export function shortDay(day: string | undefined): string {
  return day === undefined ? "" : dayNames.format(Date.parse(`${day}T00:00:00Z`));
}

function describe({ title, sum, days }: Pick<DayChartProps, "title" | "sum" | "days">): string {
  const top = days.reduce<{ day: string; value: number } | undefined>(
    (best, one) => one.value > (best?.value ?? 0) ? one : best,
    undefined,
  );
  const most = top === undefined ? "" : `, most on ${shortDay(top.day)}`;
  return `${title} by day, ${shortDay(days[0]?.day)} to ${
    shortDay(days.at(-1)?.day)
  }: ${sum}${most}`;
}

function round(n: number): number {
  return Math.round(n * 10) / 10;
}
