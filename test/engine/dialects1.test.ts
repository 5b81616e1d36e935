import { tourDialects } from "./dialectTour";

tourDialects(0, 2);
