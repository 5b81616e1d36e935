import { tourDialects } from "./dialectTour";

tourDialects(1, 2);
