import type { ClientConfig } from "@mattermost/types/config";
import type { Routes } from "./requests.ts";
import { Refusal } from "./wire.ts";
import type { World } from "./world.ts";

/** What the server says of itself. */
export function routeSystem(routes: Routes, world: World): void {
  routes.on(
    "GET",
    "/system/ping",
    () => ({
      json: {
        ActiveSearchBackend: "database",
        AndroidLatestVersion: "",
        AndroidMinVersion: "",
        IosLatestVersion: "",
        IosMinVersion: "",
        status: "OK",
      },
    }),
    true,
  );
  routes.on(
    "GET",
    "/config/client",
    (call) => {
      if (world.major < 11 && call.query.get("format") === null) {
        const words = "New format for the client configuration is not supported yet. Please specify format=old.";
        throw new Refusal(501, "api.config.client.old_format.app_error", words);
      }
      // Who has no session is told the little that a login page needs.
      const open = call.me === "";
      return { json: { ...limited(world), ...(!open && full(world)) } };
    },
    true,
  );
  routes.on("GET", "/license/client", () => ({ json: { IsLicensed: "false" } }), true);
}

function limited(world: World): Partial<ClientConfig> {
  const { version, siteName, mfaRequired } = world.config;
  return {
    Version: version,
    BuildNumber: version,
    BuildDate: "2026-08-01",
    BuildHash: "8f2e6e4cbd4a3c8ea0cd3c2b",
    BuildEnterpriseReady: "false",
    SiteName: siteName,
    EnableSignInWithEmail: "true",
    EnableSignInWithUsername: "true",
    EnableMultifactorAuthentication: String(mfaRequired),
    EnforceMultifactorAuthentication: String(mfaRequired),
  };
}

function full(world: World): Partial<ClientConfig> {
  const { maxPostSize, maxFileSize, usernameOverride, iconOverride, fileAttachments, postEditSeconds } = world.config;
  return {
    MaxPostSize: String(maxPostSize),
    MaxFileSize: String(maxFileSize),
    EnablePostUsernameOverride: String(usernameOverride),
    EnablePostIconOverride: String(iconOverride),
    EnableFileAttachments: String(fileAttachments),
    EnableIncomingWebhooks: "true",
    EnableOutgoingWebhooks: "true",
    EnableCustomEmoji: "true",
    PostEditTimeLimit: String(postEditSeconds),
    TeammateNameDisplay: "username",
    EnableReliableWebSockets: "true",
  };
}
