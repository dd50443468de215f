import type { NextFunction, Request, Response } from "express";
import express from "express";
import type { Storage } from "./storage";

export class DrawingServer {
  private static storage: Storage;
  private spare: Storage | undefined;

  static async start(make: () => Promise<Storage>) {
    DrawingServer.storage = await make();
    return express().use("/drawings", new DrawingServer().show()).use("/plans", new DrawingServer().plan());
  }

  private show() {
    return async (req: Request, res: Response, next: NextFunction) => {
      const name = decodeURIComponent(req.path);
      res.type("png").send(await DrawingServer.storage.read(name).catch(next));
    };
  }

  private plan() {
    return async (req: Request, res: Response, next: NextFunction) => {
      res.type("png").send(await DrawingServer.storage.readPlain(req.path).catch(next));
    };
  }
}
