// @ts-types="@types/d3-scale"
import { scaleLinear } from "d3-scale";

/** One bar, for a day or a week. */
export interface Bar {
  label: string;
  /** Integers, one for each series, from the foot up. */
  values: readonly number[];
  /** The sum in the period before. */
  before?: number | undefined;
}

export interface BarChartScale {
  bars: readonly Bar[];
  /** The height of the bars, in px. */
  height: number;
  /** A line across the chart, if it is near the bars. */
  limit?: number | undefined;
  format: (value: number) => string;
  /** Formats axis values with enough digits for the step between two lines. */
  axis?: ((step: number) => (value: number) => string) | undefined;
}

export interface BarLayout {
  /** Lines across the chart with their labels; y in px. */
  ticks: { y: number; text: string }[];
  /** x and widths in percent of the chart's width, y and heights in px. */
  bars: LaidOutBar[];
  /** The y of the limit; undefined if it is far above the bars, or if there is none. */
  limitY: number | undefined;
}

export interface LaidOutBar {
  /** The space of a bar, from the middle of the gap before it. */
  left: number;
  right: number;
  x: number;
  width: number;
  segments: { series: number; y: number; height: number }[];
  /** The y of the period before. */
  beforeY: number | undefined;
}

const TICKS = 4;
const TOP = 8;
/** Keeps a day with little usage distinguishable from a day without any. */
const MIN_HEIGHT = 1.5;
/** A limit further above the highest bar would flatten all bars. */
const LIMIT_IN_SIGHT = 2;

/** Where to draw the bars of a chart, whatever its width will be. */
export function layOutBars({ bars, height, limit, format, axis }: BarChartScale): BarLayout {
  const highest = Math.max(
    0,
    ...bars.map(({ values, before = 0 }) => Math.max(sum(values), before)),
  );
  const isLimitShown = limit !== undefined && limit > 0 && limit <= highest * LIMIT_IN_SIGHT;
  const max = isLimitShown ? Math.max(highest, limit) : highest;
  const y = scaleLinear([0, max === 0 ? 1 : max], [height, TOP]).nice(TICKS);
  const ticks = max === 0 ? [0] : y.ticks(TICKS);
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  const slot = 100 / Math.max(1, bars.length);
  const gap = slot * (bars.length > 60 ? 0.15 : 0.24);
  return {
    ticks: uniqueTicks(ticks, axis?.(step) ?? format)
      .map(({ tick, text }) => ({ y: round(y(tick)), text })),
    bars: bars.map(({ values, before }, n) => ({
      left: round(n * slot),
      right: round((n + 1) * slot),
      x: round(n * slot + gap / 2),
      width: round(slot - gap),
      segments: stack(values, (value) => value === 0 ? 0 : Math.max(MIN_HEIGHT, height - y(value)))
        .map((segment) => ({ ...segment, y: round(height - segment.top) })),
      beforeY: before === undefined ? undefined : round(y(before)),
    })),
    limitY: isLimitShown ? round(y(limit)) : undefined,
  };
}

function stack(values: readonly number[], heightOf: (value: number) => number) {
  let top = 0;
  return values.flatMap((value, series) => {
    const height = round(heightOf(value));
    top += height;
    return height === 0 ? [] : [{ series, height, top }];
  });
}

/** Axis lines with their labels: integers only, and no label twice. */
function uniqueTicks(ticks: readonly number[], format: BarChartScale["format"]) {
  const whole = ticks.filter(Number.isInteger).map((tick) => ({ tick, text: format(tick) }));
  return whole.filter(({ text }, i) => whole.findIndex((other) => other.text === text) === i);
}

/** The sum of a bar's values. */
export function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function round(n: number): number {
  return Math.round(n * 100) / 100;
}
