/** Loads the MCP SDK when the first server is connected: it takes 290 ms, and most sessions have no server. */

export type Sdk = Awaited<ReturnType<typeof loadSdk>>;

export async function loadSdk() {
  const [client, http, stdio, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    import("@modelcontextprotocol/sdk/shared/stdio.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  return {
    Client: client.Client,
    StreamableHTTPClientTransport: http.StreamableHTTPClientTransport,
    ReadBuffer: stdio.ReadBuffer,
    serializeMessage: stdio.serializeMessage,
    ElicitRequestSchema: types.ElicitRequestSchema,
    ListRootsRequestSchema: types.ListRootsRequestSchema,
    ToolListChangedNotificationSchema: types.ToolListChangedNotificationSchema,
  };
}
