import { useEffect, useState } from "preact/hooks";
import type { ControlAttributes } from "@/components/Field.tsx";
import { type ImageUse, shrinkImage } from "@/lib/dashboard/browser/shrink_image.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

/** The picker's texts. */
const TEXTS = {
  avatar: {
    chosen: msg("Image chosen"),
    upload: msg("Upload image"),
    replace: msg("Replace image"),
    remove: msg("Remove image"),
  },
  logo: {
    chosen: msg("Logo chosen"),
    upload: msg("Upload logo"),
    replace: msg("Replace logo"),
    remove: msg("Remove logo"),
  },
} as const satisfies Record<ImageUse, unknown>;

/**
 * An image that the browser makes small enough to store; an avatar may also be a letter or emoji that
 * is typed. Without scripts both are text fields.
 */
export default function ImagePicker(
  { value, use, ...attributes }: ControlAttributes & { value: string; use: ImageUse },
) {
  const [image, setImage] = useState(value);
  const [isReady, setReady] = useState(false);
  const [problem, setProblem] = useState("");
  useEffect(() => setReady(true), []);
  const isImage = image.startsWith("data:");
  const isTyped = !isImage && (use === "avatar" || !isReady);
  const texts = TEXTS[use];
  useEffect(() => {
    const input = document.getElementById(attributes.id);
    if (image !== value) input?.dispatchEvent(new Event("input", { bubbles: true }));
  }, [image]);
  async function choose(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    const chosen = await shrinkImage(file, use).catch(() => undefined);
    setProblem(chosen === undefined ? t("This file is not an image that can be used.") : "");
    if (chosen !== undefined) setImage(chosen);
  }
  return (
    <div class="image-picker">
      <input
        {...attributes}
        // Another type is another element, or a restored value would be lost.
        key={String(isTyped)}
        type={isTyped ? "text" : "hidden"}
        data-default={value}
        value={image}
        onInput={(event) => setImage(event.currentTarget.value)}
      />
      {isImage && <span>{t(texts.chosen)}</span>}
      {isReady && (
        <>
          <label class="button">
            {t(isImage ? texts.replace : texts.upload)}
            <input
              class="sr-only"
              type="file"
              accept="image/png,image/jpeg,image/webp"
              onChange={(event) => choose(event.currentTarget.files?.[0])}
            />
          </label>
          {isImage && (
            <button class="button" type="button" onClick={() => setImage("")}>
              {t(texts.remove)}
            </button>
          )}
        </>
      )}
      {problem !== "" && <p class="field-error" role="alert">{problem}</p>}
    </div>
  );
}
