import { tourDialects } from "./dialectTour";

tourDialects(2, 4);
