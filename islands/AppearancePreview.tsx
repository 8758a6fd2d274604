import { useEffect, useRef, useState } from "preact/hooks";
import { appearanceOfForm } from "@/lib/dashboard/browser/appearance_of_form.ts";
import type { AgentOffers } from "@/lib/schemas/appearance.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

export interface AppearancePreviewProps {
  /** A page of this service with the agent's widget. */
  src: string;
  /** Id of the form whose values the widget shows. */
  form: string;
  /** What the agent offers beside its appearance. */
  offers: AgentOffers | undefined;
}

/** The page in the frame, if it is of this service. */
interface FramedPage extends Window {
  serviceWidget?: {
    open(): void;
    close(): void;
    setAppearance(appearance: Record<string, unknown>): void;
  };
}

/** The widget itself on an example page. It follows the form while that is edited. */
export default function AppearancePreview({ src, form: formId, offers }: AppearancePreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [device, setDevice] = useState<keyof typeof DEVICES>("desktop");
  /** Blank until chosen: the widget then has its own theme. */
  const [theme, setTheme] = useState<keyof typeof THEMES | "">("");
  const [isReady, setReady] = useState(false);
  const apply = () => {
    const form = document.getElementById(formId) as HTMLFormElement | null;
    const page = frame.current?.contentWindow as FramedPage | null | undefined;
    if (form === null || !page?.serviceWidget) return;
    const shown = appearanceOfForm(form);
    page.serviceWidget.setAppearance({ ...shown, offers, ...theme !== "" && { theme } });
  };
  useEffect(() => setReady(true), []);
  useEffect(() => {
    const form = document.getElementById(formId);
    form?.addEventListener("input", apply);
    form?.addEventListener("change", apply);
    apply();
    return () => {
      form?.removeEventListener("input", apply);
      form?.removeEventListener("change", apply);
    };
  }, [theme]);
  if (!isReady) return null;
  return (
    <section class="preview" aria-label={t("Preview")}>
      <div class="preview-bar">
        <Choice label={t("Screen")} options={DEVICES} value={device} onChange={setDevice} />
        <Choice label={t("Theme")} options={THEMES} value={theme} onChange={setTheme} />
      </div>
      <div class={`preview-frame preview-${device}`}>
        <iframe
          ref={frame}
          src={src}
          title={t("Preview of the widget")}
          onLoad={() => whenStarted(frame.current?.contentDocument, apply)}
        />
      </div>
    </section>
  );
}

const DEVICES = { desktop: msg("Desktop"), phone: msg("Phone") } as const;
const THEMES = { light: msg("Light"), dark: msg("Dark") } as const;

function Choice<T extends string>({ label, options, value, onChange }: {
  label: string;
  options: Readonly<Record<T, string>>;
  value: T | "";
  onChange: (value: T) => void;
}) {
  return (
    <div class="preview-choice" role="group" aria-label={label}>
      {(Object.keys(options) as T[]).map((name) => (
        <button
          key={name}
          type="button"
          class="button button-small"
          aria-pressed={name === value ? "true" : "false"}
          onClick={() => onChange(name)}
        >
          {t(options[name])}
        </button>
      ))}
    </div>
  );
}

/** The widget may have started before the frame's load event. */
function whenStarted(page: Document | null | undefined, run: () => void): void {
  page?.addEventListener("service-widget:ready", run);
  run();
}
