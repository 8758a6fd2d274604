// @ts-types="@types/d3-scale"
import { scaleBand, scaleLinear } from "d3-scale";

/** A chart is about as wide as it is shown, so that its text keeps its size. */
const WIDTH = 340;
const HEIGHT = 150;
const BOTTOM = 20;
const TOP = 8;
const TICKS = 3;
/** Of a character on the axis, at most: digits are the widest that stand there. */
const CHARACTER_WIDTH = 6.5;
/** Between an axis word and its line. */
const GAP = 6;
/** Below it a day with little could not be told from one without any. */
const MIN_BAR_HEIGHT = 1.5;

export interface DayChartProps {
  title: string;
  /** What is shown beside the title: the sum, say. */
  sum: string;
  /** Whole numbers, one a day, in order; `part` is drawn over the foot of the bar, in the colour of faults. */
  days: readonly { day: string; value: number; part?: number }[];
  /** A value as it is read: on the axis, and in words. */
  format: (value: number) => string;
  /** The same for an axis of this step between two lines, where `format` has too few digits for it. */
  axis?: (step: number) => (value: number) => string;
  /** Said of `part`, as in `3 failed`. */
  partName?: string;
}

/** Bars by day, drawn by the server. What they show is also told: in a title each, and as a table. */
export function DayChart({ title, sum, days, format, axis, partName = "" }: DayChartProps) {
  const most = Math.max(...days.map(({ value }) => value), 0);
  const y = scaleLinear([0, most === 0 ? 1 : most], [HEIGHT - BOTTOM, TOP]).nice(TICKS);
  const ticks = most === 0 ? [0] : y.ticks(TICKS);
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
          <text x={left} y={HEIGHT - 4}>{shortDay(days[0]?.day)}</text>
          <text x={WIDTH} y={HEIGHT - 4} text-anchor="end">{shortDay(days.at(-1)?.day)}</text>
        </g>
      </svg>
    </figure>
  );
}

/** The lines of an axis with their words. There is no half a run, and what reads alike stands once. */
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
