import { SuspensionNotice } from "@/components/tenants/SuspensionNotice.tsx";
import { NewDeviceNotices } from "@/components/account/NewDeviceNotices.tsx";
import { StepUpContext } from "@/components/ReauthField.tsx";
import { ShownTenant } from "@/components/PostForm.tsx";
import { Sidebar } from "@/components/Sidebar.tsx";
import PageForms from "@/islands/PageForms.tsx";
import LocalTimes from "@/islands/LocalTimes.tsx";
import { readTheme } from "@/lib/dashboard/theme.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export default define.layout(async ({ Component, req, state }) => {
  const { user } = state;
  const tenants = user === undefined
    ? []
    : state.tenants ?? await state.service.memberships.choices(user);
  return (
    <div class="shell">
      <a class="skip" href="#main">{t("Skip to content")}</a>
      {user && <Sidebar user={user} tenants={tenants} theme={readTheme(req.headers)} />}
      <main id="main" tabIndex={-1}>
        {state.user?.suspension && <SuspensionNotice {...state.user.suspension} />}
        {state.user?.notices && <NewDeviceNotices notices={state.user.notices} />}
        <ShownTenant.Provider value={user?.tenant}>
          <StepUpContext.Provider value={state.user?.stepUp ?? "password"}>
            <Component />
          </StepUpContext.Provider>
        </ShownTenant.Provider>
        <LocalTimes />
        <PageForms />
      </main>
    </div>
  );
});
