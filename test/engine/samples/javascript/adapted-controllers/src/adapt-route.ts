// All controllers go by the interface that they have in common.
import type { Request, RequestHandler, Response } from "express";
import type { Controller } from "./controller";

export const adaptRoute =
  (controller: Controller): RequestHandler =>
  async (req: Request, res: Response) => {
    const { statusCode, body } = await controller.handle({ query: req.query, body: req.body, params: req.params });
    res.status(statusCode).json(body);
  };
