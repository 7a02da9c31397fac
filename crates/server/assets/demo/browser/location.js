/** `geolocation {accuracy, timeout}`: where the device is (4.5.5). */
import { ToolFailure } from "../tools.js";
export function geolocation() {
    return {
        definition: {
            toolId: "geolocation",
            name: "Your location",
            description: "Reads the device's location.",
            version: "1.0.0",
            runtime: "FRONTEND",
            capabilities: ["gps", "network"],
            class: "read",
            permissionLevel: "USER_CONSENT",
            parameters: {
                type: "object",
                properties: {
                    accuracy: { type: "string", enum: ["high", "low"], default: "low", description: "high takes longer and more power" },
                    timeout: { type: "integer", minimum: 1, maximum: 60_000, default: 10_000, description: "Milliseconds" },
                },
                additionalProperties: false,
            },
            returns: {
                type: "object",
                properties: {
                    latitude: { type: "number", description: "Degrees" },
                    longitude: { type: "number", description: "Degrees" },
                    accuracy: { type: "number", description: "Metres" },
                    altitude: { type: "number", description: "Metres, where it is known" },
                    timestamp: { type: "string" },
                },
                required: ["latitude", "longitude", "accuracy"],
            },
        },
        run(parameters) {
            return new Promise((resolve, reject) => {
                if (!isSecureContext || !("geolocation" in navigator)) {
                    reject(new ToolFailure("NOT_SECURE", "A browser gives the location to secure pages alone (https, or localhost)."));
                    return;
                }
                navigator.geolocation.getCurrentPosition((position) => resolve(told(position)), (error) => reject(failure(error, Number(parameters.timeout))), { enableHighAccuracy: parameters.accuracy === "high", timeout: Number(parameters.timeout), maximumAge: 0 });
            });
        },
    };
}
function told({ coords, timestamp }) {
    const { latitude, longitude, accuracy, altitude } = coords;
    return { latitude, longitude, accuracy, ...(altitude === null ? {} : { altitude }), timestamp: new Date(timestamp).toISOString() };
}
function failure(error, timeout) {
    if (error.code === error.PERMISSION_DENIED)
        return new ToolFailure("PERMISSION_DENIED", "The browser does not give the location.");
    if (error.code === error.TIMEOUT)
        return new ToolFailure("TIMEOUT", `No location was found within ${timeout} ms.`);
    return new ToolFailure("EXECUTION_FAILED", "The location is not known.");
}
