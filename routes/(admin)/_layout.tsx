import { SuspensionNotice } from "@/components/tenants/SuspensionNotice.tsx";
import { NewDeviceNotices } from "@/components/account/NewDeviceNotices.tsx";
import { StepUpContext } from "@/components/ReauthField.tsx";
import { Sidebar } from "@/components/Sidebar.tsx";
import PageForms from "@/islands/PageForms.tsx";
import LocalTimes from "@/islands/LocalTimes.tsx";
import { readTheme } from "@/lib/dashboard/theme.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export default define.layout(({ Component, req, state }) => (
  <div class="shell">
    <a class="skip" href="#main">{t("Skip to content")}</a>
    {state.user && <Sidebar user={state.user} theme={readTheme(req.headers)} />}
    <main id="main" tabIndex={-1}>
      {state.user?.suspension && <SuspensionNotice {...state.user.suspension} />}
      {state.user?.notices && <NewDeviceNotices notices={state.user.notices} />}
      <StepUpContext.Provider value={state.user?.stepUp ?? "password"}>
        <Component />
      </StepUpContext.Provider>
      <LocalTimes />
      <PageForms />
    </main>
  </div>
));
