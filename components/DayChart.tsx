// @ts-types="@types/d3-scale"
import { scaleBand, scaleLinear } from "d3-scale";

// About the width at which a chart is shown, so that its text keeps its size.
const WIDTH = 340;
const HEIGHT = 150;
const BOTTOM = 20;
const TOP = 8;
const TICKS = 3;
/** Width of the widest character on the axis, a digit. */
const CHARACTER_WIDTH = 6.5;
/** Between an axis label and its line. */
const GAP = 6;
/** Keeps a day with little usage distinguishable from a day without any. */
const MIN_BAR_HEIGHT = 1.5;

export interface DayChartProps {
  title: string;
  /** Shown next to the title, usually the sum. */
  sum: string;
  /** Integers, one per day, in order. `part` is drawn over the foot of the bar in the error color. */
  days: readonly { day: string; value: number; part?: number }[];
  /** Formats a value for the axis and for tooltips. */
  format: (value: number) => string;
  /** Formats axis values with enough digits for the step between two lines. */
  axis?: (step: number) => (value: number) => string;
  /** Names `part`, as in `3 failed`. */
  partName?: string;
}

/** Bars by day, rendered by the server. Tooltips and a table give the same values as text. */
export function DayChart({ title, sum, days, format, axis, partName = "" }: DayChartProps) {
  const max = Math.max(...days.map(({ value }) => value), 0);
  const y = scaleLinear([0, max === 0 ? 1 : max], [HEIGHT - BOTTOM, TOP]).nice(TICKS);
  const ticks = max === 0 ? [0] : y.ticks(TICKS);
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  const lines = uniqueTicks(ticks, axis?.(step) ?? format);
  const left = Math.ceil(Math.max(...lines.map(({ word }) => word.length)) * CHARACTER_WIDTH) + GAP;
  const x = scaleBand(days.map(({ day }) => day), [left, WIDTH]).paddingInner(0.25);
  const height = (value: number) => value === 0 ? 0 : Math.max(MIN_BAR_HEIGHT, y(0) - y(value));
  const bar = (day: string, value: number) => ({
    x: roundCoordinate(x(day) ?? 0),
    y: roundCoordinate(y(0) - height(value)),
    width: roundCoordinate(x.bandwidth()),
    height: roundCoordinate(height(value)),
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
        aria-label={chartSummary({ title, sum, days })}
      >
        {lines.map(({ tick, word }) => (
          <g key={tick} class="chart-tick">
            <path d={`M${left} ${roundCoordinate(y(tick))}H${WIDTH}`} />
            <text x={left - GAP} y={roundCoordinate(y(tick)) + 4}>{word}</text>
          </g>
        ))}
        {days.map(({ day, value, part = 0 }) => (
          <g key={day}>
            {/* Without a key, Fresh treats any <title> as the page's title. */}
            <title key="day">
              {`${shortDay(day)}: ${format(value)}${
                part === 0 ? "" : `, ${format(part)} ${partName}`
              }`}
            </title>
            <rect class="chart-hit" {...bar(day, max === 0 ? 1 : y.domain()[1]!)} />
            <rect class="chart-bar" {...bar(day, value)} />
            {part > 0 && <rect class="chart-part" {...bar(day, part)} />}
          </g>
        ))}
        <g class="chart-days">
          <text x={left} y={HEIGHT - 4}>{shortDay(days[0]?.day)}</text>
          <text x={WIDTH} y={HEIGHT - 4} text-anchor="end">{shortDay(days.at(-1)?.day)}</text>
        </g>
      </svg>
    </figure>
  );
}

/** Axis lines with their labels: integers only, and no label twice. */
function uniqueTicks(ticks: readonly number[], format: DayChartProps["format"]) {
  const whole = ticks.filter(Number.isInteger).map((tick) => ({ tick, word: format(tick) }));
  return whole.filter(({ word }, i) => whole.findIndex((other) => other.word === word) === i);
}

const dayNames = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });

/** `12 Jan` of a day as `YYYY-MM-DD`. */
export function shortDay(day: string | undefined): string {
  return day === undefined ? "" : dayNames.format(Date.parse(`${day}T00:00:00Z`));
}

function chartSummary({ title, sum, days }: Pick<DayChartProps, "title" | "sum" | "days">): string {
  const top = days.reduce<{ day: string; value: number } | undefined>(
    (best, one) => one.value > (best?.value ?? 0) ? one : best,
    undefined,
  );
  const most = top === undefined ? "" : `, most on ${shortDay(top.day)}`;
  return `${title} by day, ${shortDay(days[0]?.day)} to ${
    shortDay(days.at(-1)?.day)
  }: ${sum}${most}`;
}

function roundCoordinate(n: number): number {
  return Math.round(n * 10) / 10;
}
