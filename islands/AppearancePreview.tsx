import { useEffect, useRef, useState } from "preact/hooks";
import { appearanceOfForm } from "@/lib/dashboard/browser/appearance_of_form.ts";

export interface AppearancePreviewProps {
  /** A page of this service with the agent's widget. */
  src: string;
  /** Id of the form whose values the widget shows. */
  form: string;
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
export default function AppearancePreview({ src, form: formId }: AppearancePreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isPhone, setPhone] = useState(false);
  const [theme, setTheme] = useState("");
  const [isReady, setReady] = useState(false);
  const apply = () => {
    const form = document.getElementById(formId) as HTMLFormElement | null;
    const page = frame.current?.contentWindow as FramedPage | null | undefined;
    if (form === null || !page?.serviceWidget) return;
    const shown = appearanceOfForm(form);
    page.serviceWidget.setAppearance({ ...shown, ...theme !== "" && { theme } });
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
    <section class="preview" aria-label="Preview">
      <div class="preview-bar">
        <Toggle label="Phone" isOn={isPhone} onChange={setPhone} />
        <Toggle
          label="Dark"
          isOn={theme === "dark"}
          onChange={(isOn) => setTheme(isOn ? "dark" : "")}
        />
      </div>
      <div class={isPhone ? "preview-frame preview-phone" : "preview-frame"}>
        <iframe
          ref={frame}
          src={src}
          title="Preview of the widget"
          onLoad={() => whenStarted(frame.current?.contentDocument, apply)}
        />
      </div>
    </section>
  );
}

function Toggle({ label, isOn, onChange }: {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) {
  return (
    <button
      type="button"
      class="button button-small"
      aria-pressed={isOn ? "true" : "false"}
      onClick={() => onChange(!isOn)}
    >
      {label}
    </button>
  );
}

/** The widget may have started before the frame's load event. */
function whenStarted(page: Document | null | undefined, run: () => void): void {
  page?.addEventListener("service-widget:ready", run);
  run();
}
