import { useEffect, useState } from "preact/hooks";
import type { ControlAttributes } from "@/components/Field.tsx";
import { readableContrast } from "@/lib/dashboard/appearance/readable_contrast.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const PRESETS: readonly (readonly [color: string, name: string])[] = [
  ["#0d6e63", msg("Green")],
  ["#1f5fbf", msg("Blue")],
  ["#5b3fc4", msg("Violet")],
  ["#a3245f", msg("Pink")],
  ["#b3261e", msg("Red")],
  ["#8a4b00", msg("Orange")],
  ["#2b2f2d", msg("Black")],
];

/** WCAG's minimum between a button and what it stands on. */
const MIN_CONTRAST = 3;

/** A color as `#rrggbb`, by typing, from presets or from the browser's own picker. */
export default function ColorPicker(
  { value, ...attributes }: ControlAttributes & { value: string },
) {
  const [color, setColor] = useState(value);
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  const isColor = /^#[0-9a-f]{6}$/i.test(color);
  const set = (next: string) => {
    setColor(next);
    // The preview listens to the form.
    queueMicrotask(() => {
      document.getElementById(attributes.id)?.dispatchEvent(new Event("input", { bubbles: true }));
    });
  };
  return (
    <div class="color-picker">
      <input
        type="text"
        {...attributes}
        value={color}
        placeholder="#0d6e63"
        maxLength={7}
        spellcheck={false}
        onInput={(event) => setColor(event.currentTarget.value)}
      />
      {isReady && (
        <>
          <input
            type="color"
            aria-label={t("Choose any color")}
            value={isColor ? color : "#0d6e63"}
            onInput={(event) => set(event.currentTarget.value)}
          />
          <div class="swatches" role="group" aria-label={t("Colors")}>
            {PRESETS.map(([preset, name]) => (
              <button
                key={preset}
                type="button"
                class="color-swatch"
                aria-label={t(name)}
                aria-pressed={preset === color ? "true" : "false"}
                onClick={() => set(preset)}
              >
                <svg width="20" height="20" aria-hidden="true">
                  <circle cx="10" cy="10" r="9.5" fill={preset} />
                </svg>
              </button>
            ))}
          </div>
          {isColor && readableContrast(color) < MIN_CONTRAST && (
            <p class="help" role="status">
              {t("This color is hard to see on a white page. Choose a darker one.")}
            </p>
          )}
        </>
      )}
    </div>
  );
}
